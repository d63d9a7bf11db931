-- A snapshot of up to half a page stays in its row: moved out of it, each is compressed, written whole and indexed anew, and
-- its elder deleted. In the row an update within a page logs only what differs; of two kilobytes that was a sixth of the
-- write-ahead log of a step. What is larger is compressed and moved as before.
alter table snapshot set (toast_tuple_target = 4080);
