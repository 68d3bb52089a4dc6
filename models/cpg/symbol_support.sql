-- Generated from python_hooks/codelake/semantic/catalog/symbols.py, digest 54c716e0.
-- Do not edit: run `codelake compile`.
with

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

),

symbol_occurrences as (

    select * from {{ ref('symbol_occurrences') }}

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

symbols_of_names as (

    select
        definitions_found.edge_id,
        definitions_found.edge_kind,
        definitions_found.src_node_id,
        definitions_found.dst_node_id,
        referenced.symbol_id
    from definitions_found
    inner join referenced
        on definitions_found.src_node_id = referenced.name_id

),

defined as (

    select
        node_id as definition_id,
        symbol_id as defined_symbol_id
    from symbol_occurrences
    where is_definition

),

symbols_at_both_ends as (

    select
        symbols_of_names.edge_id,
        symbols_of_names.edge_kind,
        symbols_of_names.src_node_id,
        symbols_of_names.dst_node_id,
        symbols_of_names.symbol_id
    from symbols_of_names
    inner join defined
        on
            symbols_of_names.symbol_id = defined.defined_symbol_id
            and symbols_of_names.dst_node_id = defined.definition_id

),

edges_once as (

    select
        edge_id,
        edge_kind,
        src_node_id,
        dst_node_id
    from symbols_at_both_ends
    group by
        edge_id,
        edge_kind,
        src_node_id,
        dst_node_id

),

edges_with_symbols as (

    select
        edge_id,
        edge_kind,
        src_node_id,
        dst_node_id,
        'scip' as origin,
        'scip_index' as method,
        cast(null as double) as confidence
    from edges_once

)

select * from edges_with_symbols
