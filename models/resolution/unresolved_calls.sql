-- Generated from python_hooks/codelake/semantic/catalog/resolution.py, digest b3b81180.
-- Do not edit: run `codelake compile`.
with

resolution as (

    select * from {{ ref('resolution') }}

),

unresolved_of_files as (

    select
        repo,
        path,
        file_id,
        unresolved
    from resolution

),

unresolved_calls_seen as (

    select
        repo,
        path,
        file_id,
        entry.call_id,
        entry.reason as unknown_reason
    from unresolved_of_files
        lateral view explode(unresolved) unresolved_exploded as entry

)

select * from unresolved_calls_seen
