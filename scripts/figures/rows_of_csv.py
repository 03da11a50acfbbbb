#!/usr/bin/env python3
"""Prints the rows of a CSV file as JSON: rows_of_csv.py FILE."""

import csv
import json
import sys

if __name__ == "__main__":
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        print(json.dumps(list(csv.DictReader(file))))
