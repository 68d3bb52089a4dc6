-- Generated from python_hooks/codelake/semantic/catalog/resolution.py, digest b335000b.
-- Do not edit: run `codelake compile`.
with

resolution as (

    select * from {{ ref('resolution') }}

),

fields_of_files as (

    select
        repo,
        path,
        file_id,
        fields
    from resolution

),

resolved_fields_seen as (

    select
        repo,
        path,
        file_id,
        entry.node_id,
        entry.class_id,
        entry.name,
        entry.qualified_name
    from fields_of_files
        lateral view explode(fields) fields_exploded as entry

)

select * from resolved_fields_seen
