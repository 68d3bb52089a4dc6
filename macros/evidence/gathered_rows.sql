{#- The relation under a gathered model: the rows that Python wrote, so that it can be shown. -#}
{% macro gathered_rows() -%}
    {{ this }}
{%- endmacro %}
