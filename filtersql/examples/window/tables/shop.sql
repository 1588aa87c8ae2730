CREATE TABLE orders (id int PRIMARY KEY, region text NOT NULL, created_on date NOT NULL);
ALTER TABLE orders REPLICA IDENTITY FULL;
