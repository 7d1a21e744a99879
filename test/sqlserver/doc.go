// Package sqlserver starts real database servers for tests, on free ports of the loopback
// interface: PostgreSQL and MariaDB, with their data in a directory of the test. SQLite
// needs none.
//
// It needs the programs initdb and postgres (Debian: postgresql) and mariadbd (Debian:
// mariadb-server-core). Without them tests are skipped or, with HOLDGATE_REQUIRE_STORES=1,
// fail. As root it runs PostgreSQL as the user postgres, since it refuses to be root.
package sqlserver
