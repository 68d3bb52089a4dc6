-- Generated from python_hooks/codelake/semantic/catalog/props.py, digest f7b53c87.
-- Do not edit: run `codelake compile`.
with

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

props_of_nodes as (

    select
        repo,
        path,
        file_id,
        node_id,
        map_concat(
            map(
                'node_kind', node_kind,
                'syntax', syntax,
                'node_name', name,
                'qualified_name', qualified_name,
                'origin', origin
            ),
            coalesce(attrs, map())
        ) as props
    from cpg_nodes

)

select * from props_of_nodes
