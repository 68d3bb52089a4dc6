-- Generated from python_hooks/codelake/semantic/catalog/surface_definitions.py, digest 66adfdf8.
-- Do not edit: run `codelake compile`.
with

resolved_links as (

    select * from {{ ref('resolved_links') }}

),

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

bases_found as (

    select
        repo,
        path,
        src_node_id as class_id,
        dst_node_id as base_id,
        ordinal
    from resolved_links
    where kind = 'INHERITS'

),

classes as (

    select
        node_id as class_id,
        qualified_name as class_name,
        line
    from cpg_nodes

),

bases_with_classes as (

    select
        bases_found.repo,
        bases_found.path,
        bases_found.class_id,
        bases_found.base_id,
        bases_found.ordinal,
        classes.class_name,
        classes.line
    from bases_found
    inner join classes
        on bases_found.class_id = classes.class_id

),

bases as (

    select
        node_id as base_id,
        qualified_name as base_name,
        node_kind as base_kind
    from cpg_nodes

),

bases_of_classes as (

    select
        bases_with_classes.repo,
        bases_with_classes.path,
        bases_with_classes.class_id,
        bases_with_classes.base_id,
        bases_with_classes.ordinal,
        bases_with_classes.class_name,
        bases_with_classes.line,
        bases.base_name,
        bases.base_kind
    from bases_with_classes
    inner join bases
        on bases_with_classes.base_id = bases.base_id

),

bases_by_name as (

    select
        repo,
        path,
        line,
        class_id,
        class_name,
        base_id,
        base_name,
        base_kind,
        ordinal
    from bases_of_classes

)

select * from bases_by_name
