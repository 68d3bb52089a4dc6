-- Generated from python_hooks/codelake/semantic/catalog/resolution.py, digest 95e574a6.
-- Do not edit: run `codelake compile`.
with

resolution as (

    select * from {{ ref('resolution') }}

),

externals_of_files as (

    select
        repo,
        path,
        file_id,
        externals
    from resolution

),

externals_seen_seen as (

    select
        repo,
        path,
        file_id,
        name.node_id,
        name.name as outside_name
    from externals_of_files
        lateral view explode(externals) externals_exploded as name

)

select * from externals_seen_seen
