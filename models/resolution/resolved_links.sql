-- Generated from python_hooks/codelake/semantic/catalog/resolution.py, digest 3d6e294b.
-- Do not edit: run `codelake compile`.
with

resolution as (

    select * from {{ ref('resolution') }}

),

links_of_files as (

    select
        repo,
        path,
        file_id,
        links
    from resolution

),

resolved_links_seen as (

    select
        repo,
        path,
        file_id,
        link.kind,
        link.src_node_id,
        link.dst_node_id,
        link.label,
        link.ordinal,
        link.method,
        link.rank,
        link.group_id as ambiguity_group_id
    from links_of_files
        lateral view explode(links) links_exploded as link

)

select * from resolved_links_seen
