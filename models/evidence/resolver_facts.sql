-- Generated from python_hooks/codelake/semantic/catalog/texts.py, digest 8f707ad4.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

facts_of_files as (

    select
        repo,
        path,
        file_id,
        ast_defs.def_id as def_ids,
        facts
    from evidence

),

resolver_facts_seen as (

    select
        repo,
        path,
        file_id,
        fact_no,
        fact.op,
        def_ids[fact.owner_no] as owner_id,
        if(
            fact.node_ordinal = 0,
            def_ids[fact.node_def_no],
            xxhash64(def_ids[fact.node_def_no], fact.node_ordinal)
        ) as node_id,
        case
            when fact.value_ordinal is not null
                then if(
                    fact.value_ordinal = 0,
                    def_ids[fact.value_def_no],
                    xxhash64(def_ids[fact.value_def_no], fact.value_ordinal)
                )
        end as value_id,
        case
            when fact.other_ordinal is not null
                then if(
                    fact.other_ordinal = 0,
                    def_ids[fact.other_def_no],
                    xxhash64(def_ids[fact.other_def_no], fact.other_ordinal)
                )
        end as other_id,
        fact.text as fact_text,
        fact.idx as fact_idx
    from facts_of_files
        lateral view posexplode(facts) facts_exploded as fact_no, fact

)

select * from resolver_facts_seen
