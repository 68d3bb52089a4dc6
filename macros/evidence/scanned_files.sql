{#- The relation under the model `evidence`: the data source, for as long as the write lasts. -#}
{% macro scanned_files() -%}
    codelake_scanned_files
{%- endmacro %}
