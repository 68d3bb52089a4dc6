{#- A view, made first and then compared with its contract: Spark analyses its query once. -#}
{% materialization view, adapter='codelake' %}

    {%- set target = this.incorporate(type='view') -%}

    {{ run_hooks(pre_hooks) }}

    {% do make_view(target, sql) %}

    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [target]}) }}

{% endmaterialization %}
