-- Generated from python_hooks/codelake/semantic/catalog/surface_definitions.py, digest d46e0994.
-- Do not edit: run `codelake compile`.
with

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

),

resolved_links as (

    select * from {{ ref('resolved_links') }}

),

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

calls_made as (

    select
        src_node_id as user_node_id,
        dst_node_id as definition_id,
        edge_kind as used_as
    from cpg_edges
    where edge_kind = 'CALLS'

),

links_made as (

    select
        src_node_id as user_node_id,
        dst_node_id as definition_id,
        kind as used_as
    from resolved_links
    where kind in ('IMPORTS', 'REFERS_TO', 'INHERITS', 'OVERRIDES')

),

uses as (

    select * from calls_made

    union all

    select * from links_made

),

users as (

    select
        repo,
        path,
        line,
        node_id as user_node_id,
        if(node_kind = 'MODULE' or node_kind in ('FUNCTION', 'CLASS'), node_id, owner_id) as user_id
    from cpg_nodes

),

uses_at_places as (

    select
        uses.user_node_id,
        uses.definition_id,
        uses.used_as,
        users.repo,
        users.path,
        users.line,
        users.user_id
    from uses
    inner join users
        on uses.user_node_id = users.user_node_id

),

definitions as (

    select
        node_id as definition_id,
        qualified_name
    from cpg_nodes
    where node_kind = 'MODULE' or node_kind in ('FUNCTION', 'CLASS')

),

uses_of_definitions as (

    select
        uses_at_places.user_node_id,
        uses_at_places.definition_id,
        uses_at_places.used_as,
        uses_at_places.repo,
        uses_at_places.path,
        uses_at_places.line,
        uses_at_places.user_id,
        definitions.qualified_name
    from uses_at_places
    inner join definitions
        on uses_at_places.definition_id = definitions.definition_id

),

user_names as (

    select
        node_id as user_id,
        qualified_name as user_name
    from cpg_nodes

),

uses_by_users as (

    select
        uses_of_definitions.user_node_id,
        uses_of_definitions.definition_id,
        uses_of_definitions.used_as,
        uses_of_definitions.repo,
        uses_of_definitions.path,
        uses_of_definitions.line,
        uses_of_definitions.user_id,
        uses_of_definitions.qualified_name,
        user_names.user_name
    from uses_of_definitions
    left join user_names
        on uses_of_definitions.user_id = user_names.user_id

),

users_by_name as (

    select
        definition_id,
        qualified_name,
        used_as,
        user_id,
        user_name,
        user_node_id,
        repo,
        path,
        line
    from uses_by_users

)

select * from users_by_name
