-- Generated from python_hooks/codelake/semantic/catalog/support.py, digest 29618ebf.
-- Do not edit: run `codelake compile`.
with

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

),

symbol_occurrences as (

    select * from {{ ref('symbol_occurrences') }}

),

support_of_methods as (

    select
        edge_id,
        edge_kind,
        src_node_id,
        dst_node_id,
        origin,
        method,
        confidence
    from cpg_edges

),

definitions_of_names as (

    select
        edge_id,
        edge_kind,
        src_node_id,
        dst_node_id
    from cpg_edges
    where edge_kind = 'REFERS_TO' and method = 'held_value'

),

bindings_of_names as (

    select
        src_node_id as name_id,
        dst_node_id as binding_id
    from cpg_edges
    where edge_kind = 'REFERS_TO' and method = 'symbol_table'

),

names_with_bindings as (

    select
        definitions_of_names.edge_id,
        definitions_of_names.edge_kind,
        definitions_of_names.src_node_id,
        definitions_of_names.dst_node_id,
        bindings_of_names.binding_id
    from definitions_of_names
    inner join bindings_of_names
        on definitions_of_names.src_node_id = bindings_of_names.name_id

),

binders as (

    select
        src_node_id as binder_id,
        dst_node_id as bound_id,
        origin,
        method,
        confidence
    from cpg_edges
    where edge_kind = 'BINDS'

),

bound_by_definitions as (

    select
        names_with_bindings.edge_id,
        names_with_bindings.edge_kind,
        names_with_bindings.src_node_id,
        names_with_bindings.dst_node_id,
        names_with_bindings.binding_id,
        binders.origin,
        binders.method,
        binders.confidence
    from names_with_bindings
    inner join binders
        on
            names_with_bindings.binding_id = binders.bound_id
            and names_with_bindings.dst_node_id = binders.binder_id

),

support_of_bindings as (

    select
        edge_id,
        edge_kind,
        src_node_id,
        dst_node_id,
        origin,
        method,
        confidence
    from bound_by_definitions

),

places_that_bind as (

    select
        binder_id,
        bound_id
    from binders

),

names_with_binders as (

    select
        names_with_bindings.edge_id,
        names_with_bindings.edge_kind,
        names_with_bindings.src_node_id,
        names_with_bindings.dst_node_id,
        names_with_bindings.binding_id,
        places_that_bind.binder_id
    from names_with_bindings
    inner join places_that_bind
        on names_with_bindings.binding_id = places_that_bind.bound_id

),

imports_of_definitions as (

    select
        src_node_id as import_id,
        dst_node_id as imported_id,
        origin,
        method,
        confidence
    from cpg_edges
    where edge_kind = 'IMPORTS'

),

bound_by_imports as (

    select
        names_with_binders.edge_id,
        names_with_binders.edge_kind,
        names_with_binders.src_node_id,
        names_with_binders.dst_node_id,
        names_with_binders.binding_id,
        names_with_binders.binder_id,
        imports_of_definitions.origin,
        imports_of_definitions.method,
        imports_of_definitions.confidence
    from names_with_binders
    inner join imports_of_definitions
        on
            names_with_binders.binder_id = imports_of_definitions.import_id
            and names_with_binders.dst_node_id = imports_of_definitions.imported_id

),

support_of_imports as (

    select
        edge_id,
        edge_kind,
        src_node_id,
        dst_node_id,
        origin,
        method,
        confidence
    from bound_by_imports

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

support_of_index as (

    select
        edge_id,
        edge_kind,
        src_node_id,
        dst_node_id,
        'scip' as origin,
        'scip_index' as method,
        cast(null as double) as confidence
    from edges_once

),

support as (

    select * from support_of_methods

    union all

    select * from support_of_bindings

    union all

    select * from support_of_imports

    union all

    select * from support_of_index

),

support_once as (

    select
        edge_id,
        edge_kind,
        src_node_id,
        dst_node_id,
        origin,
        method,
        max(confidence) as confidence
    from support
    group by
        edge_id,
        edge_kind,
        src_node_id,
        dst_node_id,
        origin,
        method

)

select * from support_once
