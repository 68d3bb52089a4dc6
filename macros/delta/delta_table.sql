{#- The one materialisation of persistent tables: create what is missing, then write what the
    plan says, in one commit, or nothing at all. -#}
{% materialization delta_table, adapter='codelake', supported_languages=['sql'] %}

    {%- set target = this.incorporate(type='table') -%}
    {%- set delta = dict(model.config.meta.delta, fingerprint=model.config.meta.fingerprint) -%}
    {%- set delta = adapter.write_policy(this.identifier, delta, var('write_policy')) -%}
    {%- set plan = adapter.plan_write(this.identifier, delta, {
        'empty': flags.EMPTY,
        'full_refresh': should_full_refresh(),
        'schema_policy': var('schema_policy'),
        'scan': scan_request(),
    }) -%}

    {{ run_hooks(pre_hooks) }}

    {% if plan.create %}
        {% do adapter.create_table(target, model.columns.values() | list, delta, model.description) %}
    {% endif %}

    {% if plan.action == 'view' %}
        {%- set target = this.incorporate(type='view') -%}
        {% do make_view(target, sql) %}
    {% elif plan.action == 'none' %}
        {% call noop_statement('main', plan.reason, 'SKIP', 0) %}
            {{ sql }}
        {% endcall %}
    {% elif delta.strategy == 'gather' %}
        {% do adapter.write_gathered(target, delta) %}
        {% call noop_statement('main', plan.reason, 'INSERT') %}
            {{ sql }}
        {% endcall %}
    {% elif adapter.resolves_alone(this.identifier, plan, delta) and not var('compliance') %}
        {% do adapter.write_resolved(this.identifier, plan, delta, var('id_salt')) %}
        {% call noop_statement('main', plan.reason, 'INSERT') %}
            {{ sql }}
        {% endcall %}
    {% else %}
        {% if plan.scan %}{% do scan_view(plan.scan, delta.part) %}{% endif %}
        {%- set rows = delta_rows(sql, plan, (delta.partition or []) + (delta.order or [])) -%}
        {% if var('compliance') %}{% do adapter.explain_rows(this.identifier, rows) %}{% endif %}
        {% do adapter.write_rows(this.identifier, rows, plan, delta) %}
        {% call noop_statement('main', plan.reason, 'INSERT') %}
            {{ rows }}
        {% endcall %}
        {% if plan.scan %}{% do scan_view() %}{% endif %}
    {% endif %}
    {% if plan.action != 'view' %}{% do adapter.register_table(this.identifier, delta, flags.EMPTY) %}{% endif %}

    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [target]}) }}

{% endmaterialization %}
