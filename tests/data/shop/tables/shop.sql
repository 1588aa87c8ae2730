CREATE SCHEMA shop;

CREATE TABLE shop.customers (
  id integer PRIMARY KEY,
  name text NOT NULL,
  region text,
  credit numeric(10,2),
  active boolean,
  born date,
  seen timestamp with time zone
);
ALTER TABLE shop.customers REPLICA IDENTITY FULL;

CREATE TABLE shop.orders (
  region text NOT NULL,
  id integer NOT NULL,
  amount numeric(10,2),
  paid boolean NOT NULL,
  placed date,
  changed timestamp with time zone,
  note text,
  PRIMARY KEY (region, id)
);
ALTER TABLE shop.orders ALTER COLUMN note SET STORAGE EXTERNAL;

CREATE TABLE shop.stock (
  sku integer NOT NULL,
  warehouse text NOT NULL,
  shelf text,
  quantity integer NOT NULL,
  counted date,
  CONSTRAINT stock_pkey PRIMARY KEY (sku, warehouse)
);
CREATE UNIQUE INDEX stock_identity ON shop.stock (warehouse, sku, quantity);
ALTER TABLE shop.stock REPLICA IDENTITY USING INDEX stock_identity;

CREATE TABLE shop.notes (
  customer integer NOT NULL,
  body text,
  stars numeric(10,2)
);
ALTER TABLE shop.notes REPLICA IDENTITY FULL;

CREATE TABLE shop.events (
  id integer NOT NULL,
  day date NOT NULL,
  kind text,
  value numeric(10,2),
  at timestamp with time zone,
  PRIMARY KEY (id, day)
) PARTITION BY RANGE (day);
CREATE TABLE shop.events_2025 PARTITION OF shop.events
  FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE shop.events_rest PARTITION OF shop.events DEFAULT;
CREATE TABLE shop.events_2026 (
  at timestamp with time zone,
  kind text,
  day date NOT NULL,
  id integer NOT NULL,
  value numeric(10,2),
  PRIMARY KEY (id, day)
);
ALTER TABLE shop.events ATTACH PARTITION shop.events_2026
  FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
