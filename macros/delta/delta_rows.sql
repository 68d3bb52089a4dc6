{#- The rows of a write, in the order in which the table keeps them. -#}
{% macro delta_rows(sql, plan, order=[]) %}
    {%- if plan.action == 'replace' or order -%}
select * from (
    {{ sql }}
) as made
        {%- if plan.action == 'replace' %}
where {{ plan.predicate }}
        {%- endif %}
        {%- if order %}
sort by {{ order | join(', ') }}
        {%- endif %}
    {%- else -%}
{{ sql }}
    {%- endif -%}
{% endmacro %}
