-- filtersql: raw
CREATE TABLE t (
  id int PRIMARY KEY,
  wide double precision, money2 numeric(10,2), big numeric(30,4), loose numeric, sums numeric(6,2)[], raw bytea, day date, days date[], hour time, hour3 time(3), moment timestamp, moment3 timestamp(3), moments timestamp[], moments3 timestamp(3)[], instant timestamptz, instants timestamptz[], spell interval
);
ALTER TABLE t REPLICA IDENTITY FULL;
