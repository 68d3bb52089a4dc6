{#- A view, made first and then compared with its contract: Spark analyses its query once. -#}
{% materialization view, adapter='codelake' %}

    {%- set target = this.incorporate(type='view') -%}

    {{ run_hooks(pre_hooks) }}

    {% if adapter.makes_view(this.identifier, flags.EMPTY) %}
        {% call statement('main') %}
            create or replace view {{ target }}
            comment {{ sql_text(model.description) }}
            as
            {{ sql }}
        {% endcall %}
        {% if config.get('contract').enforced %}
            {% do adapter.check_view(target, model.columns.values() | list) %}
        {% endif %}
    {% else %}
        {% call noop_statement('main', 'no table reads it', 'SKIP', 0) %}
            {{ sql }}
        {% endcall %}
    {% endif %}

    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [target]}) }}

{% endmaterialization %}
