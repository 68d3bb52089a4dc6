{#- What the columns of a view mean, as its properties: tables have the same from their contract. -#}
{% macro semantic_types(columns) -%}
    {%- set named = [] -%}
    {%- for column in columns if column.config.meta.semantic_type -%}
        {%- do named.append(
            sql_text('codelake.semantic_type.' ~ column.name) ~ ' = '
            ~ sql_text(column.config.meta.semantic_type)
        ) -%}
    {%- endfor -%}
    {{ 'tblproperties (' ~ named | join(', ') ~ ')' if named }}
{%- endmacro %}
