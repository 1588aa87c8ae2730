"""PostgreSQL's parse analysis: from the grammar's tree to a typed one."""
