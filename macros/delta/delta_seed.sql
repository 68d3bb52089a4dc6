{#- Seeds: typed by their contract, one commit when the file changed, and no Spark job. -#}
{% materialization seed, adapter='codelake' %}

    {%- set target = this.incorporate(type='table') -%}
    {%- set table = load_agate_table() -%}
    {%- do store_result('agate_table', response='OK', agate_table=table) -%}
    {%- set delta = {
        'strategy': 'overwrite',
        'fingerprint': model.checksum.checksum,
        'properties': {'codelake.contract': local_md5(model.config.column_types | string)},
    } -%}
    {%- set plan = adapter.plan_write(this.identifier, delta, {
        'empty': flags.EMPTY,
        'full_refresh': should_full_refresh(),
        'schema_policy': var('schema_policy'),
    }) -%}

    {{ run_hooks(pre_hooks) }}

    {% if plan.create %}
        {% do adapter.create_table(target, model.columns.values() | list, delta, model.description) %}
    {% endif %}
    {% if plan.action != 'none' %}
        {% do adapter.write_seed(target, table, delta) %}
    {% endif %}
    {% do adapter.register_table(this.identifier, delta, flags.EMPTY) %}
    {% call noop_statement('main', plan.reason, 'SKIP' if plan.action == 'none' else 'INSERT') %}{% endcall %}

    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [target]}) }}

{% endmaterialization %}
