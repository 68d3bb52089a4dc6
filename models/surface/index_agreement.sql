-- Generated from python_hooks/codelake/semantic/catalog/symbols.py, digest 3ae16321.
-- Do not edit: run `codelake compile`.
with

symbol_occurrences as (

    select * from {{ ref('symbol_occurrences') }}

),

ast_defs as (

    select * from {{ ref('ast_defs') }}

),

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

),

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

referenced as (

    select
        repo,
        path,
        file_id,
        node_id as name_id,
        symbol_id,
        scip_symbol,
        bstart
    from symbol_occurrences
    where not is_definition

),

defined as (

    select
        node_id as definition_id,
        symbol_id as defined_symbol_id
    from symbol_occurrences
    where is_definition

),

names_with_definitions as (

    select
        referenced.repo,
        referenced.path,
        referenced.file_id,
        referenced.name_id,
        referenced.symbol_id,
        referenced.scip_symbol,
        referenced.bstart,
        defined.definition_id
    from referenced
    inner join defined
        on referenced.symbol_id = defined.defined_symbol_id

),

definitions as (

    select
        def_id,
        qualified_name as indexed
    from ast_defs

),

names_with_indexed_definitions as (

    select
        names_with_definitions.repo,
        names_with_definitions.path,
        names_with_definitions.file_id,
        names_with_definitions.name_id,
        names_with_definitions.symbol_id,
        names_with_definitions.scip_symbol,
        names_with_definitions.bstart,
        names_with_definitions.definition_id,
        definitions.indexed
    from names_with_definitions
    inner join definitions
        on names_with_definitions.definition_id = definitions.def_id

),

definitions_found as (

    select
        edge_id,
        edge_kind,
        src_node_id,
        dst_node_id
    from cpg_edges
    where edge_kind = 'IMPORTS' or (edge_kind = 'REFERS_TO' and method = 'held_value')

),

resolved_definitions as (

    select
        node_id as resolved_id,
        qualified_name as resolved
    from cpg_nodes

),

resolved_names as (

    select
        definitions_found.edge_id,
        definitions_found.edge_kind,
        definitions_found.src_node_id,
        definitions_found.dst_node_id,
        resolved_definitions.resolved
    from definitions_found
    inner join resolved_definitions
        on definitions_found.dst_node_id = resolved_definitions.resolved_id

),

names_resolved as (

    select
        src_node_id,
        dst_node_id as end_id,
        resolved
    from resolved_names

),

names_with_both as (

    select
        names_with_indexed_definitions.repo,
        names_with_indexed_definitions.path,
        names_with_indexed_definitions.file_id,
        names_with_indexed_definitions.name_id,
        names_with_indexed_definitions.symbol_id,
        names_with_indexed_definitions.scip_symbol,
        names_with_indexed_definitions.bstart,
        names_with_indexed_definitions.definition_id,
        names_with_indexed_definitions.indexed,
        names_resolved.end_id,
        names_resolved.resolved
    from names_with_indexed_definitions
    left join names_resolved
        on names_with_indexed_definitions.name_id = names_resolved.src_node_id

),

names_once as (

    select
        repo,
        path,
        file_id,
        name_id,
        bstart,
        scip_symbol,
        definition_id,
        indexed,
        min(resolved) as resolved_name,
        count(end_id) as ends,
        max(coalesce(end_id = definition_id, false)) as is_same
    from names_with_both
    group by
        repo,
        path,
        file_id,
        name_id,
        bstart,
        scip_symbol,
        definition_id,
        indexed

),

names_compared as (

    select
        repo,
        path,
        file_id,
        name_id as node_id,
        bstart,
        scip_symbol,
        definition_id as indexed_id,
        indexed as indexed_name,
        resolved_name,
        case when is_same then 'same' when ends = 0 then 'index_only' else 'other' end as agreement
    from names_once

)

select * from names_compared
