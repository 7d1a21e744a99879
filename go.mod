module github.com/holdgate/holdgate

go 1.26.0
