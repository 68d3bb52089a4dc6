{#- Make the view of a model, unless nothing in this run reads it, and compare it with its contract. -#}
{% macro make_view(target, sql) %}
    {% if adapter.makes_view(target.identifier, flags.EMPTY) %}
        {% call statement('main') %}
            create or replace view {{ target }}
            comment {{ sql_text(model.description) }}
            {{ semantic_types(model.columns.values() | list) }}
            as
            {{ sql }}
            {%- if adapter.is_rowless(target.identifier) %}
            where false
            {%- endif %}
        {% endcall %}
        {% if config.get('contract').enforced %}
            {% do adapter.check_view(target, model.columns.values() | list) %}
        {% endif %}
    {% else %}
        {% call noop_statement('main', 'no table reads it', 'SKIP', 0) %}
            {{ sql }}
        {% endcall %}
    {% endif %}
{% endmacro %}
