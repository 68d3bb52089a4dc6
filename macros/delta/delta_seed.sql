{#- Seeds go the same way as models: typed, by contract, one commit when the file changed. -#}
{% materialization seed, adapter='codelake' %}

    {%- set target = this.incorporate(type='table') -%}
    {%- set types = model.config.column_types -%}
    {%- set table = load_agate_table() -%}
    {%- do store_result('agate_table', response='OK', agate_table=table) -%}
    {%- set delta = {
        'strategy': 'overwrite',
        'fingerprint': model.checksum.checksum,
        'properties': {'codelake.contract': local_md5(types | string)},
    } -%}
    {%- set plan = adapter.plan_write(this.identifier, delta, {
        'empty': flags.EMPTY,
        'full_refresh': should_full_refresh(),
    }) -%}

    {{ run_hooks(pre_hooks) }}

    {% if plan.create %}
        {#- an empty seed is complete once it is created -#}
        {% do adapter.set_commit_state(delta if not table.rows else none) %}
        {% call statement('create') %}
            {{ delta_create_table(target, model.columns.values(), delta, model.description) }}
        {% endcall %}
    {% endif %}

    {% if plan.action == 'none' or (plan.create and not table.rows) %}
        {% call noop_statement('main', plan.reason, 'SKIP', 0) %}{% endcall %}
    {% else %}
        {% do adapter.set_commit_state(delta) %}
        {% call statement('main') %}
            {{ delta_write(target, _seed_rows(table, types), plan) }}
        {% endcall %}
    {% endif %}

    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [target]}) }}

{% endmaterialization %}


{% macro _seed_rows(table, types) %}
select
    {%- for name in table.column_names %}
    cast({{ name }} as {{ types[name] }}) as {{ name }}{% if not loop.last %},{% endif %}
    {%- endfor %}
from values
    {%- for row in table.rows or [table.column_names] %}
    (
        {%- for value in row -%}
            {{ 'null' if value is none else sql_text(value) }}{% if not loop.last %}, {% endif %}
        {%- endfor -%}
    ){% if not loop.last %},{% endif %}
    {%- endfor %}
as seed ({{ table.column_names | join(', ') }})
    {%- if not table.rows %}
where false
    {%- endif %}
{% endmacro %}
