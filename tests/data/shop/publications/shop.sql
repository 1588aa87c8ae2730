CREATE PUBLICATION near FOR TABLE
  shop.customers WHERE (region IN ('eu', 'uk') AND credit >= 100),
  shop.orders WHERE (region = 'eu' OR region LIKE 'u%'),
  shop.stock WHERE (quantity BETWEEN 10 AND 60 AND warehouse <> 'closed'),
  shop.notes WHERE (stars > 2.5 AND body IS NOT NULL),
  shop.events WHERE (day < DATE '2026-07-01' AND id % 3 <> 0)
  WITH (publish_via_partition_root = true);

CREATE PUBLICATION loyal FOR TABLE
  shop.customers WHERE (active AND seen >= '2026-03-01 00:00:00+00' AND born IS NOT NULL);

CREATE PUBLICATION leaves FOR TABLE
  shop.events_2025 WHERE (id % 2 = 0),
  shop.events_2026 WHERE (NOT day BETWEEN '2026-03-01' AND '2026-09-30'),
  shop.orders
  WITH (publish_via_partition_root = false);
