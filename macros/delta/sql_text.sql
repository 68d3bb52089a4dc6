{#- A value as a Spark string literal, whatever it holds. -#}
{% macro sql_text(value) -%}
    '{{ value | string | replace("\\", "\\\\") | replace("'", "\\'") | replace("\n", "\\n") }}'
{%- endmacro %}
