{#- The one statement that writes a table: columns go by name, and one commit holds it all. -#}
{% macro delta_write(relation, sql, plan, order=[]) %}
    {%- set sorted = 'sort by ' ~ order | join(', ') if order else '' -%}
    {%- if order and plan.action != 'replace' -%}
        {%- set sql = 'select * from (\n' ~ sql ~ '\n) as made\n' ~ sorted -%}
    {%- endif -%}
    {%- if plan.action == 'replace' -%}
insert into {{ relation }} by name replace where {{ plan.predicate }}
select * from (
    {{ sql }}
) as changed
where {{ plan.predicate }}
{{ sorted }}
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
