-- Generated from python_hooks/codelake/semantic/catalog/surface_definitions.py, digest 812f4773.
-- Do not edit: run `codelake compile`.
with

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

),

definition_users as (

    select * from {{ ref('definition_users') }}

),

-- special methods and tests are called from outside
candidates as (

    select
        node_id,
        node_kind,
        qualified_name,
        repo,
        path,
        line
    from cpg_nodes
    where
        node_kind in ('FUNCTION', 'CLASS')
        and not startswith(name, '__')
        and not startswith(name, 'test')

),

decorated as (

    select
        dst_node_id as definition_id,
        src_node_id as decorator_id
    from cpg_edges
    where edge_kind = 'DECORATES'

),

-- a decorator may hand it to somebody
undecorated as (

    select
        candidates.node_id,
        candidates.node_kind,
        candidates.qualified_name,
        candidates.repo,
        candidates.path,
        candidates.line
    from candidates
    left anti join decorated
        on candidates.node_id = decorated.definition_id

),

used_from_elsewhere as (

    select
        definition_id,
        user_id
    from definition_users
    where user_id is null or user_id != definition_id

),

unused as (

    select
        undecorated.node_id,
        undecorated.node_kind,
        undecorated.qualified_name,
        undecorated.repo,
        undecorated.path,
        undecorated.line
    from undecorated
    left anti join used_from_elsewhere
        on undecorated.node_id = used_from_elsewhere.definition_id

)

select * from unused
