//! An update from the first byte to the last, with everything that may go wrong on its way.
mod cuts;
mod faults;
mod run;
mod world;
