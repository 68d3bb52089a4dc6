-- Generated from python_hooks/codelake/semantic/catalog/files.py, digest e6a3958f.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

files as (

    select
        repo,
        path,
        file_id,
        repository_id,
        file_sha256,
        size_bytes,
        encoding,
        newline,
        module_name,
        is_package,
        is_test,
        is_generated,
        extractor_digest,
        python_version,
        parser
    from evidence

)

select * from files
