{#- What a build reads, from the vars of dbt_project.yml. -#}
{% macro scan_request() %}
    {{ return({
        'repos': var('repos'),
        'include': var('include'),
        'exclude': var('exclude'),
        'only': var('only'),
        'max_file_bytes': var('max_file_bytes'),
        'id_salt': var('id_salt'),
        'layers': var('layers'),
        'extractors': var('extractors'),
        'environment': var('environment'),
        'lock_file': var('lock_file'),
        'scip': var('scip'),
        'build_profile': var('build_profile'),
    }) }}
{% endmacro %}
