-- Generated from python_hooks/codelake/semantic/catalog/symbols.py, digest 68aaa2c7.
-- Do not edit: run `codelake compile`.
with

scip_symbol_relationships as (

    select * from {{ ref('scip_symbol_relationships') }}

),

implementations_in_files as (

    select
        repo,
        coalesce(path, '') as path,
        coalesce(file_id, 0) as file_id,
        document_idx,
        item_no,
        scip_symbol,
        related_symbol,
        if(
            startswith(scip_symbol, 'local '),
            xxhash64(coalesce(file_id, 0), 'scip', scip_symbol),
            xxhash64('scip', scip_symbol)
        ) as symbol_id,
        if(
            startswith(related_symbol, 'local '),
            xxhash64(coalesce(file_id, 0), 'scip', related_symbol),
            xxhash64('scip', related_symbol)
        ) as related_id
    from scip_symbol_relationships
    where is_implementation and path is not null and file_id is not null

),

implementations_once as (

    select
        repo,
        path,
        file_id,
        document_idx,
        item_no,
        scip_symbol,
        related_symbol,
        symbol_id,
        related_id,
        row_number() over (
            partition by symbol_id, related_id
            order by repo, document_idx, item_no
        ) as rank
    from implementations_in_files

),

implementations as (

    select
        repo,
        path,
        file_id,
        symbol_id,
        related_id,
        scip_symbol,
        related_symbol
    from implementations_once
    where rank = 1

)

select * from implementations
