//! How the roles talk: what batteries report goes up, what they are told goes down, and the live view in between.
