-- Generated from python_hooks/codelake/semantic/catalog/resolution.py, digest 0f143671.
-- Do not edit: run `codelake compile`.
with

externals_seen as (

    select * from {{ ref('externals_seen') }}

),

externals_once as (

    select
        node_id,
        outside_name,
        repo
    from externals_seen
    group by
        node_id,
        outside_name,
        repo

)

select * from externals_once
