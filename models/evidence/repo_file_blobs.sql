-- Generated from python_hooks/codelake/semantic/catalog/files.py, digest 9f446a78.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

blobs as (

    select
        file_id,
        repo,
        path,
        content
    from evidence

)

select * from blobs
