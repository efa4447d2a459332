int account[ANY];
