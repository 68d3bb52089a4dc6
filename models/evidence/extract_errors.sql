-- Generated from python_hooks/codelake/semantic/catalog/files.py, digest 4519896c.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

errors_of_files as (

    select
        repo,
        path,
        file_id,
        errors
    from evidence

),

errors_of_extractors as (

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

select * from errors_of_extractors
