"""
Two retrievers in one ranking
=============================
