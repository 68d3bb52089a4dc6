{#- Make the relation of `scanned_files` from a plan file; without one, remove it. -#}
{% macro scan_view(plan_file=none, part=none) %}
    {% if plan_file %}
        {% do run_query(
            'create or replace temporary view ' ~ scanned_files() ~ ' using codelake options (plan '
            ~ sql_text(plan_file) ~ ', id_salt ' ~ sql_text(var('id_salt'))
            ~ ', part ' ~ sql_text(part)
            ~ ', parallelism ' ~ sql_text(adapter.parallelism()) ~ ')'
        ) %}
    {% else %}
        {% do run_query('drop view ' ~ scanned_files()) %}
    {% endif %}
{% endmacro %}
