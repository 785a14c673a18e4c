-- [PostgreSQL]
-- The number of each connection of a battery, in the order of logins: when it is connected to two processes, the higher one stays.
CREATE SEQUENCE device_connections;
