-- An effect that was decided and not tried yet is named in its actor's row and told by the journal; a row of its own has
-- only one that is to be tried again or was given up. Most effects are settled by the very next commit, and to insert
-- them, index them and delete them was two fifths of what the server did for a step.
-- One line for each effect: <seq>.<index>:<type>; null without any. No index: it would end the updates within a page.
alter table actor add column pending text;
