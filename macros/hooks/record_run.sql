{#- Append this run to the run tables, once, when a command that writes has ended. -#}
{% macro record_run(results) %}
    {% if execute and flags.WHICH in ('build', 'run', 'seed') %}
        {% do adapter.record_run(flags.WHICH, results, {
            'digests': var('digests'),
            'compliance': var('compliance'),
        }) %}
    {% endif %}
{% endmacro %}
