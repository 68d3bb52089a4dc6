-- Generated from python_hooks/codelake/semantic/catalog/files.py, digest b9a94126.
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
