{#- The one statement that writes a table: columns go by name, and one commit holds it all. -#}
{% macro delta_write(relation, sql, plan) %}
    {%- if plan.action == 'replace' -%}
insert into {{ relation }} by name replace where {{ plan.predicate }}
select * from (
    {{ sql }}
) as changed
where {{ plan.predicate }}
    {%- elif plan.create -%}
insert into {{ relation }} by name
    {{ sql }}
    {%- elif plan.action == 'overwrite' -%}
insert overwrite {{ relation }} by name
    {{ sql }}
    {%- else -%}
        {{ exceptions.raise_compiler_error('delta_write: no such action: ' ~ plan.action) }}
    {%- endif -%}
{% endmacro %}
