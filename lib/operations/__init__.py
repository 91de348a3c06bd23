"""Operations: the operator's care for players and boards that are already stored."""
