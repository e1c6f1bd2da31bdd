"""What tests share: samples of every class, oracles, families of cases, the generated pages."""
