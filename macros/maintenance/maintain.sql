{#- `dbt run-operation maintain --args '{action: vacuum}'`: a dry run unless apply is true. -#}
{% macro maintain(action, tables=[], columns=[], apply=false) %}
    {% for line in adapter.maintain(action, tables, columns, apply) %}
        {% do log(line, info=true) %}
    {% endfor %}
{% endmacro %}
