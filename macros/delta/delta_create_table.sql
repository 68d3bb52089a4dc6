{#- The typed `create table` of a contract: NOT NULL, comments, CHECK constraints, properties. -#}
{% macro delta_create_table(relation, columns, delta, description) %}
    {%- set properties = dict(delta.get('properties') or {}) -%}
    {%- for name, expression in (delta.get('constraints') or {}).items() -%}
        {%- do properties.update({'delta.constraints.' ~ name: expression}) -%}
    {%- endfor -%}
create or replace table {{ relation }} (
    {%- for column in columns %}
        {%- set promises = column.constraints | map(attribute='type') | map('string') | list %}
    {{ adapter.quote(column.name) }} {{ column.data_type }}
        {%- if 'not_null' in promises %} not null{% endif %}
        {%- if column.description %} comment {{ sql_text(column.description) }}{% endif %}
        {%- if not loop.last %},{% endif %}
    {%- endfor %}
)
using delta
location {{ sql_text(adapter.table_path(relation.identifier)) }}
comment {{ sql_text(description) }}
    {%- if properties %}
tblproperties (
        {%- for name, value in properties | dictsort %}
    {{ sql_text(name) }} = {{ sql_text(value) }}{% if not loop.last %},{% endif %}
        {%- endfor %}
)
    {%- endif %}
{% endmacro %}
