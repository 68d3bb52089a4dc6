-- Generated from python_hooks/codelake/semantic/catalog/concrete.py, digest 14d55a39.
-- Do not edit: run `codelake compile`.
with

evidence_cst as (

    select * from {{ ref('evidence_cst') }}

),

errors_of_files as (

    select
        repo,
        path,
        file_id,
        errors
    from evidence_cst

),

cst_parse_errors_seen as (

    select
        repo,
        path,
        file_id,
        entry.extractor,
        entry.error_type,
        entry.message,
        entry.line,
        entry.col,
        entry.bstart,
        entry.bend
    from errors_of_files
        lateral view explode(errors) errors_exploded as entry

)

select * from cst_parse_errors_seen
