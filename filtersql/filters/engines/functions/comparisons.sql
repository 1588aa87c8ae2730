-- comparisons of plain values

[both]
int{2,4,8,24,42,28,82,48,84}eq float{4,8,48,84}eq {date,timestamp,timestamptz,uuid,time}_eq
    {network,macaddr,cash,timetz}_eq booleq byteaeq texteq biteq varbiteq = _1 = _2
int{2,4,8,24,42,28,82,48,84}ne float{4,8,48,84}ne {date,timestamp,timestamptz,uuid,time}_ne
    {network,macaddr,cash,timetz}_ne boolne byteane textne bitne varbitne = _1 <> _2
int{2,4,8,24,42,28,82,48,84}lt float{4,8,48,84}lt {date,timestamp,timestamptz,uuid,time}_lt
    {network,macaddr,cash,timetz}_lt boollt bytealt {text,text_pattern}_lt bitlt varbitlt = _1 < _2
int{2,4,8,24,42,28,82,48,84}le float{4,8,48,84}le {date,timestamp,timestamptz,uuid,time}_le
    {network,macaddr,cash,timetz}_le boolle byteale {text,text_pattern}_le bitle varbitle = _1 <= _2
int{2,4,8,24,42,28,82,48,84}gt float{4,8,48,84}gt {date,timestamp,timestamptz,uuid,time}_gt
    {network,macaddr,cash,timetz}_gt boolgt byteagt {text,text_pattern}_gt bitgt varbitgt = _1 > _2
int{2,4,8,24,42,28,82,48,84}ge float{4,8,48,84}ge {date,timestamp,timestamptz,uuid,time}_ge
    {network,macaddr,cash,timetz}_ge boolge byteage {text,text_pattern}_ge bitge varbitge = _1 >= _2
{int2,int4,int8,float4,float8,date_,timestamp_,timestamptz_,text_,time_,cash}larger =
    CASE WHEN _1 >= _2 THEN _1 WHEN _1 < _2 THEN _2 END
{int2,int4,int8,float4,float8,date_,timestamp_,timestamptz_,text_,time_,cash}smaller =
    CASE WHEN _1 <= _2 THEN _1 WHEN _1 > _2 THEN _2 END
{date_,timestamp_,timestamptz_,btint4,btint8}cmp =
    CASE WHEN _1 > _2 THEN 1 WHEN _1 = _2 THEN 0 WHEN _1 < _2 THEN -1 END
