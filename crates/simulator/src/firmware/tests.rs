//! Complete updates with all faults that can happen on the way.
mod cuts;
mod faults;
mod harness;
mod run;
