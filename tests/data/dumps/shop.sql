--
-- PostgreSQL database dump
--

\restrict jtB5AwS1fQsXTOKXYlDj1HeJXfDVjpRbydd7XO2h7iinGFsszwKpFG9qpOdr2kH

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: Odd Schema; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA "Odd Schema";


ALTER SCHEMA "Odd Schema" OWNER TO postgres;

--
-- Name: sales; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA sales;


ALTER SCHEMA sales OWNER TO postgres;

--
-- Name: mood; Type: TYPE; Schema: sales; Owner: postgres
--

CREATE TYPE sales.mood AS ENUM (
    'sad',
    'ok'
);


ALTER TYPE sales.mood OWNER TO postgres;

--
-- Name: positive; Type: DOMAIN; Schema: sales; Owner: postgres
--

CREATE DOMAIN sales.positive AS integer
	CONSTRAINT positive_check CHECK ((VALUE > 0));


ALTER DOMAIN sales.positive OWNER TO postgres;

--
-- Name: twice(integer); Type: FUNCTION; Schema: sales; Owner: postgres
--

CREATE FUNCTION sales.twice(i integer) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT i * 2; $$;


ALTER FUNCTION sales.twice(i integer) OWNER TO postgres;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: My Table; Type: TABLE; Schema: Odd Schema; Owner: postgres
--

CREATE TABLE "Odd Schema"."My Table" (
    "A b" integer NOT NULL,
    "c""d" text
);


ALTER TABLE "Odd Schema"."My Table" OWNER TO postgres;

--
-- Name: animal; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.animal (
    id integer NOT NULL,
    name text NOT NULL
);


ALTER TABLE public.animal OWNER TO postgres;

--
-- Name: dog; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.dog (
    breed text
)
INHERITS (public.animal);


ALTER TABLE public.dog OWNER TO postgres;

--
-- Name: full_one; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.full_one (
    x integer,
    y interval day to second(2),
    z bit(3),
    t time(2) with time zone
);

ALTER TABLE ONLY public.full_one REPLICA IDENTITY FULL;


ALTER TABLE public.full_one OWNER TO postgres;

--
-- Name: hashed; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.hashed (
    k integer NOT NULL
)
PARTITION BY HASH (k);


ALTER TABLE public.hashed OWNER TO postgres;

--
-- Name: h0; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.h0 (
    k integer NOT NULL
);


ALTER TABLE public.h0 OWNER TO postgres;

--
-- Name: h1; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.h1 (
    k integer NOT NULL
);


ALTER TABLE public.h1 OWNER TO postgres;

--
-- Name: none_one; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.none_one (
    x integer NOT NULL
);

ALTER TABLE ONLY public.none_one REPLICA IDENTITY NOTHING;


ALTER TABLE public.none_one OWNER TO postgres;

--
-- Name: parent; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.parent (
    a integer NOT NULL,
    b date NOT NULL
)
PARTITION BY RANGE (b);


ALTER TABLE public.parent OWNER TO postgres;

--
-- Name: TABLE parent; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON TABLE public.parent IS 'it''s; a comment';


--
-- Name: p2020; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.p2020 (
    a integer NOT NULL,
    b date NOT NULL
);


ALTER TABLE public.p2020 OWNER TO postgres;

--
-- Name: p2021; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.p2021 (
    a integer NOT NULL,
    b date NOT NULL
)
PARTITION BY LIST (a);


ALTER TABLE public.p2021 OWNER TO postgres;

--
-- Name: p2021a; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.p2021a (
    a integer NOT NULL,
    b date NOT NULL
);


ALTER TABLE public.p2021a OWNER TO postgres;

--
-- Name: prest; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.prest (
    a integer NOT NULL,
    b date NOT NULL
);


ALTER TABLE public.prest OWNER TO postgres;

--
-- Name: scratch; Type: TABLE; Schema: public; Owner: postgres
--

CREATE UNLOGGED TABLE public.scratch (
    x integer
);


ALTER TABLE public.scratch OWNER TO postgres;

--
-- Name: v; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.v AS
 SELECT parent.a
   FROM public.parent;


ALTER TABLE public.v OWNER TO postgres;

--
-- Name: lines; Type: TABLE; Schema: sales; Owner: postgres
--

CREATE TABLE sales.lines (
    order_id bigint NOT NULL,
    no integer NOT NULL,
    price numeric
);


ALTER TABLE sales.lines OWNER TO postgres;

--
-- Name: orders; Type: TABLE; Schema: sales; Owner: postgres
--

CREATE TABLE sales.orders (
    id bigint NOT NULL,
    region text NOT NULL,
    total numeric(10,2),
    placed timestamp(3) with time zone DEFAULT now(),
    mood sales.mood,
    qty sales.positive,
    tags text[],
    code character(3),
    note character varying(200) COLLATE pg_catalog."C",
    doubled integer GENERATED ALWAYS AS ((((id % (10)::bigint))::integer * 2)) STORED
);


ALTER TABLE sales.orders OWNER TO postgres;

--
-- Name: orders_id_seq; Type: SEQUENCE; Schema: sales; Owner: postgres
--

CREATE SEQUENCE sales.orders_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE sales.orders_id_seq OWNER TO postgres;

--
-- Name: orders_id_seq; Type: SEQUENCE OWNED BY; Schema: sales; Owner: postgres
--

ALTER SEQUENCE sales.orders_id_seq OWNED BY sales.orders.id;


--
-- Name: h0; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.hashed ATTACH PARTITION public.h0 FOR VALUES WITH (modulus 2, remainder 0);


--
-- Name: h1; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.hashed ATTACH PARTITION public.h1 FOR VALUES WITH (modulus 2, remainder 1);


--
-- Name: p2020; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.parent ATTACH PARTITION public.p2020 FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');


--
-- Name: p2021; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.parent ATTACH PARTITION public.p2021 FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');


--
-- Name: p2021a; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.p2021 ATTACH PARTITION public.p2021a FOR VALUES IN (1, 2, NULL);


--
-- Name: prest; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.parent ATTACH PARTITION public.prest DEFAULT;


--
-- Name: orders id; Type: DEFAULT; Schema: sales; Owner: postgres
--

ALTER TABLE ONLY sales.orders ALTER COLUMN id SET DEFAULT nextval('sales.orders_id_seq'::regclass);


--
-- Name: My Table My Table_A b_key; Type: CONSTRAINT; Schema: Odd Schema; Owner: postgres
--

ALTER TABLE ONLY "Odd Schema"."My Table"
    ADD CONSTRAINT "My Table_A b_key" UNIQUE ("A b");

ALTER TABLE ONLY "Odd Schema"."My Table" REPLICA IDENTITY USING INDEX "My Table_A b_key";


--
-- Name: animal animal_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.animal
    ADD CONSTRAINT animal_pkey PRIMARY KEY (id);


--
-- Name: hashed hashed_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.hashed
    ADD CONSTRAINT hashed_pkey PRIMARY KEY (k);


--
-- Name: h0 h0_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.h0
    ADD CONSTRAINT h0_pkey PRIMARY KEY (k);


--
-- Name: h1 h1_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.h1
    ADD CONSTRAINT h1_pkey PRIMARY KEY (k);


--
-- Name: none_one none_one_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.none_one
    ADD CONSTRAINT none_one_pkey PRIMARY KEY (x);


--
-- Name: parent parent_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.parent
    ADD CONSTRAINT parent_pkey PRIMARY KEY (a, b);


--
-- Name: p2020 p2020_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.p2020
    ADD CONSTRAINT p2020_pkey PRIMARY KEY (a, b);


--
-- Name: p2021 p2021_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.p2021
    ADD CONSTRAINT p2021_pkey PRIMARY KEY (a, b);


--
-- Name: p2021a p2021a_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.p2021a
    ADD CONSTRAINT p2021a_pkey PRIMARY KEY (a, b);


--
-- Name: prest prest_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.prest
    ADD CONSTRAINT prest_pkey PRIMARY KEY (a, b);


--
-- Name: lines lines_pkey; Type: CONSTRAINT; Schema: sales; Owner: postgres
--

ALTER TABLE ONLY sales.lines
    ADD CONSTRAINT lines_pkey PRIMARY KEY (order_id, no);


--
-- Name: orders orders_pkey; Type: CONSTRAINT; Schema: sales; Owner: postgres
--

ALTER TABLE ONLY sales.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);


--
-- Name: orders orders_region_code_key; Type: CONSTRAINT; Schema: sales; Owner: postgres
--

ALTER TABLE ONLY sales.orders
    ADD CONSTRAINT orders_region_code_key UNIQUE (region, code);


--
-- Name: orders_code_idx; Type: INDEX; Schema: sales; Owner: postgres
--

CREATE UNIQUE INDEX orders_code_idx ON sales.orders USING btree (code) WHERE (code IS NOT NULL);


--
-- Name: orders_lower; Type: INDEX; Schema: sales; Owner: postgres
--

CREATE UNIQUE INDEX orders_lower ON sales.orders USING btree (lower(region));


--
-- Name: h0_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.hashed_pkey ATTACH PARTITION public.h0_pkey;


--
-- Name: h1_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.hashed_pkey ATTACH PARTITION public.h1_pkey;


--
-- Name: p2020_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.parent_pkey ATTACH PARTITION public.p2020_pkey;


--
-- Name: p2021_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.parent_pkey ATTACH PARTITION public.p2021_pkey;


--
-- Name: p2021a_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.p2021_pkey ATTACH PARTITION public.p2021a_pkey;


--
-- Name: prest_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.parent_pkey ATTACH PARTITION public.prest_pkey;


--
-- Name: lines lines_order_id_fkey; Type: FK CONSTRAINT; Schema: sales; Owner: postgres
--

ALTER TABLE ONLY sales.lines
    ADD CONSTRAINT lines_order_id_fkey FOREIGN KEY (order_id) REFERENCES sales.orders(id);


--
-- Name: dash; Type: PUBLICATION; Schema: -; Owner: postgres
--

CREATE PUBLICATION dash WITH (publish = 'insert, update, delete, truncate');


ALTER PUBLICATION dash OWNER TO postgres;

--
-- Name: eu; Type: PUBLICATION; Schema: -; Owner: postgres
--

CREATE PUBLICATION eu WITH (publish = 'insert');


ALTER PUBLICATION eu OWNER TO postgres;

--
-- Name: everything; Type: PUBLICATION; Schema: -; Owner: postgres
--

CREATE PUBLICATION everything FOR ALL TABLES WITH (publish = 'insert, update, delete, truncate');


ALTER PUBLICATION everything OWNER TO postgres;

--
-- Name: rooted; Type: PUBLICATION; Schema: -; Owner: postgres
--

CREATE PUBLICATION rooted WITH (publish = 'insert, update, delete, truncate', publish_via_partition_root = true);


ALTER PUBLICATION rooted OWNER TO postgres;

--
-- Name: s; Type: PUBLICATION; Schema: -; Owner: postgres
--

CREATE PUBLICATION s WITH (publish = 'insert, update, delete, truncate');


ALTER PUBLICATION s OWNER TO postgres;

--
-- Name: eu animal; Type: PUBLICATION TABLE; Schema: public; Owner: postgres
--

ALTER PUBLICATION eu ADD TABLE ONLY public.animal;


--
-- Name: dash none_one; Type: PUBLICATION TABLE; Schema: public; Owner: postgres
--

ALTER PUBLICATION dash ADD TABLE ONLY public.none_one WHERE ((x <> 3));


--
-- Name: rooted parent; Type: PUBLICATION TABLE; Schema: public; Owner: postgres
--

ALTER PUBLICATION rooted ADD TABLE ONLY public.parent WHERE ((a < 5));


--
-- Name: eu orders; Type: PUBLICATION TABLE; Schema: sales; Owner: postgres
--

ALTER PUBLICATION eu ADD TABLE ONLY sales.orders (id, region, total) WHERE (((region = 'eu'::text) AND (total > (5)::numeric)));


--
-- Name: s Odd Schema; Type: PUBLICATION TABLES IN SCHEMA; Schema: Odd Schema; Owner: postgres
--

ALTER PUBLICATION s ADD TABLES IN SCHEMA "Odd Schema";


--
-- Name: s sales; Type: PUBLICATION TABLES IN SCHEMA; Schema: sales; Owner: postgres
--

ALTER PUBLICATION s ADD TABLES IN SCHEMA sales;


--
-- Name: sub; Type: SUBSCRIPTION; Schema: -; Owner: postgres
--

CREATE SUBSCRIPTION sub CONNECTION 'host=h password=secret dbname=d' PUBLICATION eu, everything WITH (connect = false, slot_name = NONE);


ALTER SUBSCRIPTION sub OWNER TO postgres;

--
-- PostgreSQL database dump complete
--

\unrestrict jtB5AwS1fQsXTOKXYlDj1HeJXfDVjpRbydd7XO2h7iinGFsszwKpFG9qpOdr2kH

