-- Generated from python_hooks/codelake/semantic/catalog/bytecode.py, digest db98af98.
-- Do not edit: run `codelake compile`.
with

evidence_bytecode as (

    select * from {{ ref('evidence_bytecode') }}

),

errors_of_files as (

    select
        repo,
        path,
        file_id,
        errors
    from evidence_bytecode

),

bytecode_errors_seen as (

    select
        repo,
        path,
        file_id,
        error.extractor,
        error.error_type,
        error.message,
        error.line,
        error.col,
        error.bstart,
        error.bend
    from errors_of_files
        lateral view explode(errors) errors_exploded as error

)

select * from bytecode_errors_seen
